/**
 * The pictures of terminal sessions show what the commands print today.
 *
 * @module-tag kubectl
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { record, SESSIONS } from './sessions.ts';
import { drawTerminal, linesOfPicture } from './terminal-picture.ts';

/** Pods become ready and go in no fixed order, and a slow machine misses states in between. */
const distinct = (lines: readonly string[]): readonly string[] => [...new Set(lines)].toSorted();

test.each(
  SESSIONS,
)('the picture $name shows what $command prints; npm run generate -- sessions draws it', {
  timeout: 120_000,
}, async (session) => {
  const svg = readFileSync(
    new URL(`../../docs/images/${session.name}.svg`, import.meta.url),
    'utf8',
  );
  const shown = linesOfPicture(svg);

  const now = await record(session);

  expect(distinct(now.lines)).toEqual(distinct(shown));
  expect(drawTerminal({ ...now, lines: shown })).toBe(svg);
});
