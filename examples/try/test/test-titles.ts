/** What the tests of an example are about, by their titles. */
import { readdirSync, readFileSync } from 'node:fs';

/** @param folder - of an example. @returns the titles in each file of its tests. */
export function titlesByFile(folder: URL): ReadonlyMap<string, readonly string[]> {
  const tests = new URL('test/', folder);
  const files = readdirSync(tests).filter((file) => file.endsWith('.test.ts'));
  return new Map(files.map((file) => [file, titlesIn(readFileSync(new URL(file, tests), 'utf8'))]));
}

/** Titles of `test('…'`, and of tables of cases, `)('…'`, without tags such as `[T-1]` before them. */
export function titlesIn(source: string): readonly string[] {
  const call = /(?:\btest|^ *\]?\))\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/gm;
  return [...source.matchAll(call)].map(([, single, double = '']) =>
    (single ?? double).replace(/^(?:\[[^\]]+\] )+/, ''),
  );
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

/** `EX1`, `C2-11`. */
export function isDefect(id: string): boolean {
  return /^([A-Z]{2}|[A-Z]\d-)\d+$/.test(id);
}
