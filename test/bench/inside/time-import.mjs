// Prints how many milliseconds the import of a file of `imports/` takes in a process that has imported nothing yet.
const specifier = `./imports/${process.argv[2]}.mjs`;
const started = performance.now();
await import(specifier);
console.log(JSON.stringify(performance.now() - started));
