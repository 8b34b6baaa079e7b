/** A Dockerfile as a list of instructions: comments left out, continued lines joined, defaults filled in. */
export interface Instruction {
  readonly name: string;
  /** What follows the name, as written. */
  readonly text: string;
}

export interface Stage {
  /** What FROM names, with the defaults of the global ARGs in it. */
  readonly base: string;
  /** Behind AS; the stage's number where it has none. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

export interface ParsedDockerfile {
  /** Defaults of the ARGs before the first FROM. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

export function parseDockerfile(text: string): ParsedDockerfile {
  const defaults: Record<string, string> = {};
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const { name, text: rest } of instructionsOf(text)) {
    if (name === 'FROM') {
      const words = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
      const [base = '', , alias = String(stages.length)] = words;
      stages.push({ base: expand(base, defaults), name: alias, instructions: [] });
    } else if (stages.length > 0) {
      stages.at(-1)?.instructions.push({ name, text: rest });
    } else if (name === 'ARG') {
      const [, key = '', value = ''] = /^(\w+)(?:=(.*))?$/.exec(rest) ?? [];
      defaults[key] = expand(value, defaults);
    }
  }
  return { defaults, stages };
}

function instructionsOf(text: string): readonly Instruction[] {
  return text
    .replace(/^[ \t]*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^\s*(\w+)\s*(.*)$/.exec(line) ?? [];
      return { name: name.toUpperCase(), text: rest.trim() };
    });
}

function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (whole, braced?: string, plain?: string) => values[braced ?? plain ?? ''] ?? whole,
  );
}
