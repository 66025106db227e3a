/** Extra files from which drivers are resolved. The command adds one in the current folder. */
export const driverPlaces: string[] = [];
