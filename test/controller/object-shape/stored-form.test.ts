/** Fields that the API server stores under another name: what is stated is there, and what is not is gone. */
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import {
  cronJobs,
  deployments,
  podTemplates,
  secrets,
} from '../../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import type { Resource } from '../../../operator/model/resource.ts';
import { type Family, startFamily } from '../../support/owner-and-children.ts';

type ObjectOf<R> = R extends Resource<infer T extends KubernetesObject> ? T : never;
type Secret = ObjectOf<typeof secrets>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const secret = (fields: Partial<Secret>): Desired<Secret> => ({
  metadata: { name: 'a' },
  ...fields,
});

async function dataOf({ env, namespace }: Family): Promise<Secret['data']> {
  return (await env.get<Secret>('v1', 'Secret', namespace, 'a'))?.data;
}

describe('[child 1] a Secret that is applied with stringData', () => {
  test('the stringData of a Secret is restored after another writer changed or removed a key', async () => {
    const family = await startFamily();
    const stated = secret({ stringData: { host: 'db', port: '5432' } });
    await family.apply(secrets, stated);

    const edit = { data: { host: base64('elsewhere'), port: null } };
    await family.env.patch('v1', 'Secret', family.namespace, 'a', edit);
    await family.apply(secrets, stated);

    expect(await dataOf(family)).toEqual({ host: base64('db'), port: base64('5432') });
  });

  test.each([
    false,
    true,
  ])('a key that is no longer in stringData is removed from the Secret (restart: %s)', async (restart) => {
    const family = await startFamily();
    await family.apply(secrets, secret({ stringData: { old: 'x', kept: 'ü' } }));
    if (restart) family.restart();

    await family.apply(secrets, secret({ stringData: { kept: 'ü' } }));

    expect(await dataOf(family)).toEqual({ kept: base64('ü') });
  });

  test('an unchanged stringData causes no write, and keys of other writers stay in the Secret', async () => {
    const family = await startFamily();
    const stated = secret({
      stringData: { mine: '1' },
      data: { also: base64('2'), mine: base64('0') },
    });
    await family.apply(secrets, stated);
    await family.env.patch('v1', 'Secret', family.namespace, 'a', {
      data: { theirs: base64('3') },
    });
    await family.apply(secrets, stated);
    family.restart();
    await family.apply(secrets, stated);
    const count = family.writes().length;

    for (let time = 0; time < 3; time++) await family.apply(secrets, stated);

    const all = { mine: base64('1'), also: base64('2'), theirs: base64('3') };
    expect(await dataOf(family)).toEqual(all);
    expect(family.writes()).toHaveLength(count);
  });

  test('a Secret may change from stringData to data and back, and no old key remains', async () => {
    const family = await startFamily();
    await family.apply(secrets, secret({ stringData: { a: '1', b: '2' } }));
    await family.apply(secrets, secret({ data: { b: base64('3') } }));

    await family.apply(secrets, secret({ stringData: { c: '4' } }));

    expect(await dataOf(family)).toEqual({ c: base64('4') });
  });

  test('a value in stringData that is not a string is refused by the API server', async () => {
    const family = await startFamily();

    const applying = family.apply(secrets, secret({ stringData: { a: 1 as unknown as string } }));

    await expect(applying).rejects.toMatchObject({ code: 'API_STATUS' });
  });
});

/** The account of the Pods, under one of its two names. */
type Account = Readonly<Record<string, string>>;

const spec = (account: Account) => ({
  ...account,
  containers: [{ name: 'a', image: 'a' }],
  restartPolicy: 'OnFailure' as const,
});

const template = (account: Account) => ({
  metadata: { labels: { app: 'a' } },
  spec: { ...spec(account), restartPolicy: 'Always' as const },
});

const POD_KINDS: readonly (readonly [string, Resource, (account: Account) => object])[] = [
  [
    'apps/v1',
    deployments as never,
    (account) => ({
      spec: { selector: { matchLabels: { app: 'a' } }, template: template(account) },
    }),
  ],
  [
    'batch/v1',
    cronJobs as never,
    (account) => ({
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: spec(account) } } },
      },
    }),
  ],
  ['v1', podTemplates as never, (account) => ({ template: template(account) })],
];

describe.each(
  POD_KINDS,
)('[child 1] the service account of a Pod in %s', (apiVersion, resource, fields) => {
  test.each([
    'serviceAccount',
    'serviceAccountName',
  ])('the service account changes when the field %s changes, and is removed with the field', async (name) => {
    const family = await startFamily();
    const state = (account: Account) =>
      family.apply(resource, { metadata: { name: 'a' }, ...fields(account) });
    const live = async () =>
      JSON.stringify(await family.env.get(apiVersion, resource.kind, family.namespace, 'a'));

    for (const account of ['first', 'second', 'third']) await state({ [name]: account });

    expect(await live()).toContain('"serviceAccountName":"third"');
    await state({});
    expect(await live()).not.toMatch(/"(?:first|second|third)"/);
  });
});
