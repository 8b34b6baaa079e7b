import { createRequire } from 'node:module';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { undiciPool } from '../../operator/transport/undici-pool.ts';

const require = createRequire(import.meta.url);

test('the pool is loaded from its own file, and is the same pool that the package undici exports', () => {
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
])('the pool is loaded from the package undici if its own file cannot be loaded (%s)', (code) => {
  const found = undiciPool((id) => {
    if (id !== 'undici') throw Object.assign(new Error(`no ${id}`), { code });
    return { Pool };
  });

  expect(found).toBe(Pool);
});

test('if the file of the pool is broken, its error is thrown, and nothing else is loaded', () => {
  const load = (): never => {
    throw new SyntaxError('broken');
  };

  expect(() => undiciPool(load)).toThrow('broken');
});
