/** What `chancery replay --to-test` writes is a test: it fails with the recorded operator, and passes with the mended one. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordedError } from '../../../operator/flight/recording-transport.ts';
import { copyIncident } from '../../flight/replay/copy-incident.ts';
import { configMap, MadeRecord } from '../../flight/replay/made-record.ts';
import { writeRecord } from '../../flight/replay/record-file.ts';
import { folderForTests, resultsOf, typeErrors } from '../../support/written-tests.ts';
import { chancery } from '../child.ts';

interface Incident {
  readonly record: MadeRecord;
  /** When the record ends. */
  readonly to: number;
  readonly operator: string;
  /** Text of the operator → what it is in the mended one. */
  readonly mended: readonly [before: string, after: string];
}

const CREATE = `const metadata = { name: copy, namespace: 'demo' };
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });`;
const PATCH = `await client.patch(configMaps, { name: copy, namespace }, { type: 'merge', body: { data } });`;

/** Copies each ConfigMap, as the operator of `copyIncident`. */
const COPY = `{
  name: 'copy',
  for: configMaps,
  permissions: [{ resource: configMaps, verbs: ['create', 'patch'] }],
  predicate: ({ metadata }) => !metadata.name.endsWith('copy'),
  async reconcile({ metadata: { name, namespace }, data = {} }, { client, store }) {
    const copy = name + '-copy';
    if (store(configMaps).get({ namespace, name: copy }) === undefined) {
      ${CREATE}
    } else {
      ${PATCH}
    }
  },
}`;

/** An operator that does `work` with each ConfigMap. */
const DOING = (work: string): string => `import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'copy',
  for: configMaps,
  async reconcile({ data = {} }) {
    ${work}
  },
});
`;

const COPYING = `import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller(${COPY});
`;

const WITH_ARGUMENTS = `import { controller, withArguments } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default withArguments({
  arguments: { suffix: { type: 'string', help: 'of copies', default: '-other' } },
  create: ({ values }) => ({
    controllers: [controller(${COPY.replace("'-copy'", 'values.suffix')})],
  }),
});
`;

/** A controller among others, a runnable and a webhook. */
const MANY = `import { controller, runnable, validatingWebhook } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export default [
  runnable({ name: 'waits', run: async () => {} }),
  controller({ name: 'other', for: secrets, reconcile: () => {} }),
  validatingWebhook({ name: 'allows.copies.example.com', resource: configMaps, validate: () => {} }),
  controller(${COPY}),
];
`;

/** One attempt at `demo/web`, which begins two seconds after the recorder. */
function attempted(): MadeRecord {
  return new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] }).event(
    2_000,
    'MODIFIED',
    configMap('web', '11', { a: '2' }),
  );
}

const INCIDENTS: Readonly<Record<string, Incident>> = {
  objects: {
    record: copyIncident(),
    to: 310_000,
    operator: COPYING,
    mended: ["'-copy'", "'-new-copy'"],
  },
  error: {
    record: attempted().attempt(2_001, 'demo/web', [], {
      result: 'error',
      error: recordedError(new Error('no a of 2')),
    }),
    to: 2_010,
    operator: DOING("if (data.a === '2') throw new Error('no a of 2');"),
    mended: ["'2')", "'3')"],
  },
  loop: {
    record: copyIncident().header({ reason: 'write-loop' }),
    to: 310_000,
    operator: COPYING,
    mended: [PATCH, "void ('the copy is made once');"],
  },
  stuck: {
    record: attempted().add({
      ...{ kind: 'begin', at: 2_001, controller: 'copy', key: 'demo/web', id: 7 },
      ...{ attempt: 0, waitedMs: 0 },
    }),
    to: 60_000,
    operator: DOING("if (data.a === '2') await new Promise(() => {});"),
    mended: ["'2')", "'3')"],
  },
  arguments: {
    record: copyIncident().header({ arguments: ['--suffix=-copy'] }),
    to: 310_000,
    operator: WITH_ARGUMENTS,
    mended: ['values.suffix', "'-new-copy'"],
  },
  many: {
    record: copyIncident(),
    to: 310_000,
    operator: MANY,
    mended: ["'-copy'", "'-new-copy'"],
  },
};

const PATIENT = { timeout: 240_000 };

test(
  'a test that is generated from a record fails until the operator is fixed',
  PATIENT,
  async () => {
    const folder = folderForTests();
    const names = Object.keys(INCIDENTS);

    await Promise.all(
      Object.entries(INCIDENTS).map(async ([name, { record, to, operator, mended }]) => {
        const [atFault, better] = [name, `${name}-mended`].map((each) => join(folder, each));
        if (atFault === undefined || better === undefined) return;
        mkdirSync(atFault);
        writeFileSync(join(atFault, 'operator.ts'), operator);
        const file = writeRecord(join(atFault, 'flight.jsonl.gz'), record.record(to));
        const out = join(atFault, 'web.test.ts');
        const written = chancery(['replay', file, join(atFault, 'operator.ts'), '--to-test', out]);
        expect({ name, exit: await written.exit, said: written.stdout.lines }).toMatchObject({
          exit: 0,
        });
        mkdirSync(better);
        copyFileSync(out, join(better, 'web.test.ts'));
        writeFileSync(join(better, 'operator.ts'), operator.replace(...mended));
      }),
    );

    expect(await typeErrors(folder)).toBe('');
    const assertion: unknown = expect.stringMatching(/^AssertionError: expected .* (?:not )?to /s);
    expect(await resultsOf(folder)).toEqual(
      Object.fromEntries(
        names.flatMap((name) => [
          [name, assertion],
          [`${name}-mended`, 'passed'],
        ]),
      ),
    );
  },
);
