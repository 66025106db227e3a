import "planwright";
