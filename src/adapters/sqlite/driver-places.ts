/** Files beside which drivers are looked for, after this one. The command adds one of the current folder. */
export const driverPlaces: string[] = [];
