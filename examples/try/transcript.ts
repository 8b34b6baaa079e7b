/** A command of a README, and what its output must contain. */
export interface Step {
  readonly command: string;
  /** Each is a part of some line, runs of blanks counting as one. */
  readonly expected: readonly string[];
}

/**
 * The steps in the code blocks of a README: lines that begin with `$ ` are commands, and those behind one
 * are of its output. Blocks without such a line, such as what is to run in another terminal, have none.
 */
export function stepsIn(readme: string): readonly Step[] {
  const steps: { command: string; expected: string[] }[] = [];
  let inBlock = false;
  for (const line of readme.split('\n')) {
    const code = /^ {4}(.*\S)\s*$/.exec(line)?.[1];
    if (code === undefined) {
      if (line.trim() !== '') inBlock = false;
    } else if (code.startsWith('$ ')) {
      steps.push({ command: code.slice(2), expected: [] });
      inBlock = true;
    } else if (inBlock) {
      steps.at(-1)?.expected.push(code.trim());
    }
  }
  return steps;
}

/** What is missing in an output; empty when all is there. */
export function missingIn(output: string, { expected }: Step): readonly string[] {
  const lines = output.split('\n').map(squeezed);
  return expected.filter((part) => !lines.some((line) => line.includes(squeezed(part))));
}

/** It looks and changes nothing: it may be asked again until it shows what is to come. */
export function isLook({ command }: Step): boolean {
  return /^kubectl (--\S+ |-n \S+ )*(get|describe|logs) /.test(command);
}

function squeezed(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
