/**
 * Whole sessions of kubebuilder, as the plugin sees them: each line of a file in `sessions/` is one request and its
 * answer. When an answer changes on purpose, `vitest run -u` writes them anew.
 */
import { expect, test } from 'vitest';
import { VERSION } from '../../operator/core/version.ts';
import { Kubebuilder, type Run } from './support/kubebuilder.ts';

const PLUGIN = 'chancery.dev/v1';

/** The exchanges of a session, one per line; without the version of chancery, which a new project depends on. */
function lines(runs: readonly Run[]): string {
  return runs
    .flatMap(({ exchanges }) => exchanges)
    .map((exchange) => `${JSON.stringify(exchange).replaceAll(`^${VERSION}`, '^VERSION')}\n`)
    .join('');
}

test('a session for a project of TypeScript', async () => {
  const config = { version: '3', projectName: 'demo', layout: [PLUGIN] };
  const kubebuilder = new Kubebuilder(new Map(), config);
  const cart = ['--group', 'shop.example.com', '--version', 'v1', '--kind', 'Cart'];

  const runs = [
    await kubebuilder.init([]),
    await kubebuilder.createApi([...cart, '--owns', 'deployments.apps,services']),
    await kubebuilder.createApi([...cart.with(5, 'cart')]),
    await kubebuilder.edit(['--unix-socket']),
    await kubebuilder.edit(),
    await kubebuilder.createWebhook([...cart, '--defaulting']),
  ];

  expect(runs.map(({ errors }) => errors.length)).toEqual([0, 0, 1, 1, 0, 1]);
  await expect(lines(runs)).toMatchFileSnapshot('sessions/typescript.jsonl');
});
