/** What the tests of an example are about, by their titles. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * @param folder - of an example, which ends with its name and a slash.
 * @returns the titles in each file of its tests, by its path in `test/`.
 */
export function titlesByFile(folder: URL): ReadonlyMap<string, readonly string[]> {
  const tests = new URL('test/', folder);
  const example = folder.pathname.split('/').at(-2) ?? '';
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  return new Map(
    files.map((file) => [file, titlesIn(readFileSync(new URL(file, tests), 'utf8'), example)]),
  );
}

/**
 * Titles of `test('…'` and `describe('…'`, and of tables of cases, `)('…'`, without tags such as `[T-1]` before them. Tags of the
 * example become ids: `[reloader 7] [reloader R3] x` is `acceptance 7, R3: x`.
 */
export function titlesIn(source: string, example = ''): readonly string[] {
  const call =
    /(?:\b(?:test|describe)|^ *\]?(?: as const)?\))\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/gm;
  return [...source.matchAll(call)].map(([, single, double = '']) =>
    withIds(single ?? double, example),
  );
}

function withIds(title: string, example: string): string {
  const [tags = ''] = /^(?:\[[^\]]+\] )+/.exec(title) ?? [];
  const ids = [...tags.matchAll(/\[([^\]\s]+) ([^\]]+)\]/g)].flatMap(([, name, id = '']) =>
    name === example ? [isDefect(id) ? id : `acceptance ${id}`] : [],
  );
  const text = title.slice(tags.length);
  return ids.length > 0 ? `${ids.join(', ')}: ${text}` : text;
}

/**
 * The ids before the colon, parted by commas or `and`: `FL5` for a defect of the original, `acceptance 6`
 * for a scenario, where further numbers are scenarios as well. Empty when a title begins with words.
 */
export function idsOf(title: string): readonly string[] {
  const [, head = ''] = /^(.+?): /.exec(title) ?? [];
  let isScenario = false;
  const ids = head.split(/, | and /).flatMap((word) => {
    const [, scenario = isScenario && /^\d/.test(word) ? word : undefined] =
      /^acceptance (\S+)$/.exec(word) ?? [];
    isScenario = scenario !== undefined;
    if (isScenario) return [`acceptance ${scenario}`];
    return isDefect(word) ? [word] : [''];
  });
  return ids.includes('') ? [] : ids;
}

/** `EX1`, `C2-11`, `R3`. */
export function isDefect(id: string): boolean {
  return /^([A-Z]{2}|[A-Z]\d-|R)\d+$/.test(id);
}
