/** The pictures of the pages are as their sources say. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pictures } from '../../docs/diagrams/draw.ts';

test('every picture is drawn from its source; npm run generate -- diagrams draws them', async () => {
  const drawn = await pictures();

  expect(drawn.map(({ name }) => name)).toEqual([
    'event',
    'hand-over',
    'pod',
    'reflector',
    'shards',
  ]);
  for (const { name, svg } of drawn) {
    const file = new URL(`../../docs/images/${name}.svg`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(svg);
    expect(svg).toMatch(/<title>/);
  }
});
