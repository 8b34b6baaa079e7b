import { expect, test } from 'vitest';
import { toJavaScript } from '../../bench/build.ts';

test('types are gone, and relative imports lead to what is built', () => {
  const source = [
    `import { type Profile, pathOf } from './profile.ts';`,
    `import type { Message } from '../message.ts';`,
    `const { x } = await import('../load/profiles.ts');`,
    `import { once } from 'node:events';`,
    `export const answer: number = pathOf(x as Profile);`,
  ].join('\n');

  const text = toJavaScript(source);

  expect(text).toContain(`pathOf } from './profile.js';`);
  expect(text).toContain(`await import('../load/profiles.js')`);
  expect(text).toContain(`from 'node:events'`);
  expect(text).not.toMatch(/Message|: number|as Profile/);
});
