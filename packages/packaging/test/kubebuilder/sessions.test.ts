/**
 * Whole sessions of kubebuilder, as the plugin sees them: each line of a file in `sessions/` is one request and its
 * answer. When an answer changes on purpose, `vitest run -u` writes them anew.
 */
import { expect, test } from 'vitest';
import { VERSION } from '../../../../operator/core/version.ts';
import { goProject } from './support/go-fixture.ts';
import { GO_CHAIN, Kubebuilder, type Run } from './support/kubebuilder.ts';

const PLUGIN = 'chancery.dev/v1';

/** The exchanges of a session, one per line; without the version of chancery, which a new project depends on. */
function lines(runs: readonly Run[]): string {
  return runs
    .flatMap(({ exchanges }) => exchanges)
    .map(
      (exchange) =>
        `${JSON.stringify(exchange).replaceAll(new RegExp(`(\\^|chancery-proxy:)${VERSION}`, 'g'), '$1VERSION')}\n`,
    )
    .join('');
}

test('one session of kubebuilder can scaffold a TypeScript project', async () => {
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

/** A new controller, as the plugin for Go writes it before this one is asked. */
const BOOK = [
  'internal/controller/book_controller.go',
  'package controller\n\n// +kubebuilder:rbac:groups=sales.example.com,resources=books,verbs=get;list;watch\n',
] as const;
const book = ['--group', 'sales', '--version', 'v1', '--kind', 'Book'];

test('one session of kubebuilder can add the plugin to a Go project', async () => {
  const kubebuilder = goProject();

  const runs = [
    await kubebuilder.init(['--domain', 'example.com', '--proxy-port', '9001'], GO_CHAIN),
  ];
  kubebuilder.files.set(...BOOK);
  runs.push(
    await kubebuilder.createApi(book, GO_CHAIN),
    await kubebuilder.edit(['--unix-socket']),
    await kubebuilder.edit(['--ambassador-image=registry.example/kubectl:v1.37.1']),
    await kubebuilder.edit(),
  );

  expect(runs.map(({ errors }) => errors.length)).toEqual([0, 0, 1, 0, 0]);
  expect(runs.at(-1)?.written).toEqual({});
  await expect(lines(runs)).toMatchFileSnapshot('sessions/go.jsonl');
});

test('one session of kubebuilder can scaffold a project in both languages', async () => {
  const kubebuilder = goProject();

  const runs = [
    await kubebuilder.edit(['--typescript']),
    await kubebuilder.createApi([...book, '--typescript', '--owns', 'services']),
    await kubebuilder.createApi([...book.with(5, 'Cart'), '--typescript']),
    await kubebuilder.edit(),
  ];

  expect(runs.map(({ errors }) => errors.length)).toEqual([0, 0, 1, 0]);
  await expect(lines(runs)).toMatchFileSnapshot('sessions/mixed.jsonl');
});
