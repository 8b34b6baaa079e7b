import { expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { registerCopy } from '../../operator/core/one-copy.ts';

const SHOP = 'file:///app/node_modules/chancery/dist/';
const KIT = 'file:///app/node_modules/shop-kit/node_modules/chancery/dist/';

test('the error for a second copy of the toolkit contains both versions, both paths and the remedy', () => {
  const registry = {};
  registerCopy({ version: '1.2.0', root: SHOP }, registry);

  const register = (): void => registerCopy({ version: '1.3.0', root: KIT }, registry);

  expect(register).toThrow(ConfigurationError);
  expect(register).toThrow(
    '1.2.0 in /app/node_modules/chancery/dist/ and ' +
      '1.3.0 in /app/node_modules/shop-kit/node_modules/chancery/dist/',
  );
  expect(register).toThrow(/"npm ls chancery".*"npm dedupe"/);
});

test('a second copy is refused even if it has the same version', () => {
  const registry = {};
  registerCopy({ version: '1.2.0', root: SHOP }, registry);

  expect(() => registerCopy({ version: '1.2.0', root: KIT }, registry)).toThrow(ConfigurationError);
});

test('loading the same copy of the toolkit again is accepted', async () => {
  const registry = {};
  registerCopy({ version: '1.2.0', root: SHOP }, registry);
  registerCopy({ version: '1.2.0', root: SHOP }, registry);

  const again = new URL('../../operator/core/one-copy.ts?again', import.meta.url).href;

  await expect(import(/* @vite-ignore */ again)).resolves.toHaveProperty('registerCopy');
});
