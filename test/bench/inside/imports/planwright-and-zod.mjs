import "planwright";
import "zod";
