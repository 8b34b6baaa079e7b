/** The rows of `docs/guarantees.md`: what is promised, by which tag, and which files show it. */
import { readFileSync } from 'node:fs';

export const GUARANTEES = 'docs/guarantees.md';

export interface Guarantee {
  /** `W-20`, or the number of a scenario: `H41`. */
  readonly tag: string;
  readonly promise: string;
  /** From the root of the repository. */
  readonly files: readonly string[];
}

export function readGuarantees(): readonly Guarantee[] {
  return guaranteesIn(readFileSync(new URL(`../../${GUARANTEES}`, import.meta.url), 'utf8'));
}

/** Each row: | tag | promise | `file`, `file` |. */
export function guaranteesIn(page: string): readonly Guarantee[] {
  return rowsIn(page).map((line) => {
    const [, tag, promise, cell] =
      /^\| (\S+) \| (.+) \| (`[^`]+`(?:, `[^`]+`)*) \|$/.exec(line) ?? [];
    if (tag === undefined || promise === undefined || cell === undefined) {
      throw new Error(`${GUARANTEES}: write "| tag | promise | \`file\`, \`file\` |": ${line}`);
    }
    return { tag, promise, files: cell.slice(1, -1).split('`, `') };
  });
}

function rowsIn(page: string): readonly string[] {
  return page.split('\n').filter((line) => /^\| *(?:[A-Z]+-\d+|H\d\d)\b/.test(line));
}

/** Whether a title, with those of its `describe`s or without, has exactly `[TAG]`. */
export function isTagged(title: string, { tag }: Pick<Guarantee, 'tag'>): boolean {
  return title.includes(`[${tag}]`);
}

/** Whether a row is a failure scenario: the list of statements has the others. */
export function isScenario(tag: string): boolean {
  return /^H\d\d$/.test(tag);
}
