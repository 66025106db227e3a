import "planwright/testing";
