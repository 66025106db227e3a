import "zod";
import "p-retry";
import "p-timeout";
