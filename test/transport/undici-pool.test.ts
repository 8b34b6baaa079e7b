import { createRequire } from 'node:module';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { undiciPool } from '../../operator/transport/undici-pool.ts';

const require = createRequire(import.meta.url);

test("the pool that is loaded directly is the pool of undici's index", () => {
  const loaded: string[] = [];

  const found = undiciPool((id) => {
    loaded.push(id);
    return require(id);
  });

  expect(found).toBe(require('undici').Pool);
  expect(found.name).toBe(Pool.name);
  expect(loaded).toEqual(['undici/lib/dispatcher/pool.js']);
});

test.each([
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
])('the pool of an undici with other files (%s) is loaded by name', (code) => {
  const found = undiciPool((id) => {
    if (id !== 'undici') throw Object.assign(new Error(`no ${id}`), { code });
    return { Pool };
  });

  expect(found).toBe(Pool);
});

test('a broken undici is not loaded in another way', () => {
  const load = (): never => {
    throw new SyntaxError('broken');
  };

  expect(() => undiciPool(load)).toThrow('broken');
});
