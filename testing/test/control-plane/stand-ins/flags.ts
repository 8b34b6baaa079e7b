/** `--name=value` flags of a program that was called as etcd and kube-apiserver are. */
export function flagsOf(args: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    args.map((argument) => {
      const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(argument) ?? [];
      if (name === undefined || value === undefined) {
        process.stderr.write(`Error: unknown flag: ${argument}\n`);
        process.exit(1);
      }
      return [name, value];
    }),
  );
}

/** @returns the value of a flag that the program cannot do without. */
export function required(flags: Readonly<Record<string, string>>, name: string): string {
  const value = flags[name];
  if (value !== undefined) return value;
  process.stderr.write(`Error: --${name} must be specified\n`);
  process.exit(1);
}
