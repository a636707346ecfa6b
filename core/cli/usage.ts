/** Prints the usage and ends the process if `--help` is an argument. Call it before anything is opened. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some(argument => argument === '--help' || argument === '-h')) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
