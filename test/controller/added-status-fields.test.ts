/** Definitions that lack fields which the toolkit adds to a status by itself: what is stored in the end. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../operator/controller/children/applied-memory.ts';
import { statusWriter } from '../../operator/controller/children/write-status.ts';
import type { DesiredStatus } from '../../operator/controller/reconciler.ts';
import { isUndeclaredField } from '../../operator/model/refusal.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { type Site, siteDefinition, sites, startSites } from '../support/sites.ts';

const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Done',
  message: 'all is well',
} as const;
const HOUR_MS = 60 * 60_000;

interface StatusSchema {
  readonly observedGeneration?: unknown;
  readonly conditions: { readonly items: { readonly properties: Record<string, unknown> } };
}

/** The definition of Sites without some fields: of the status, or of its conditions. */
function definitionWithout(ofStatus: readonly string[], ofConditions: readonly string[] = []) {
  const definition = structuredClone(siteDefinition()) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { status: object } } } }[] };
  };
  const { status } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
  const { properties } = status as { properties: Record<string, unknown> & StatusSchema };
  for (const field of ofStatus) delete properties[field];
  for (const field of ofConditions) delete properties.conditions.items.properties[field];
  return definition as unknown as ReturnType<typeof siteDefinition>;
}

async function startStatus(definition: ReturnType<typeof siteDefinition>) {
  const place = await startSites(definition);
  const { env, clock, createSite, site } = place;
  const transport = undiciTransport(env.url, { clock });
  onTestFinished(() => transport.close());
  const client = restClient({ transport, fieldManager: 'sites', clock });
  const memory = new AppliedMemory();
  await createSite('a');
  const setStatus = async (status: DesiredStatus<Site>) => {
    const object = await site('a');
    return statusWriter({ object, resource: sites, client, clock, memory })(status);
  };
  return { ...place, setStatus };
}

describe('[found 10] setStatus adds no field that the definition does not have', () => {
  const { type, status, reason, message } = CONDITION;
  const plain = { type, status, reason, message };
  const time = { lastTransitionTime: expect.any(String) };
  const cases: readonly [string, readonly string[], readonly string[], object][] = [
    [
      'observedGeneration of the status',
      ['observedGeneration'],
      [],
      { pages: 3, conditions: [{ ...plain, ...time, observedGeneration: 1 }] },
    ],
    [
      'observedGeneration of conditions',
      [],
      ['observedGeneration'],
      { pages: 3, observedGeneration: 1, conditions: [{ ...plain, ...time }] },
    ],
    [
      'all of them',
      ['observedGeneration'],
      ['observedGeneration', 'lastTransitionTime'],
      { pages: 3, conditions: [plain] },
    ],
  ];
  test.each(
    cases,
  )('the status is written without a field that the definition does not have: %s', async (_what, ofStatus, ofConditions, stored) => {
    const { setStatus, site, writes } = await startStatus(
      definitionWithout(ofStatus, ofConditions),
    );

    expect(await setStatus({ pages: 3, conditions: [CONDITION] })).toBe(true);

    expect((await site('a')).status).toEqual(stored);
    const count = writes('sites.example.dev').length;
    expect(await setStatus({ pages: 3, conditions: [CONDITION] })).toBe(false);
    expect(writes('sites.example.dev')).toHaveLength(count);
    await setStatus({ pages: 4, conditions: [CONDITION] });
    expect((await site('a')).status).toEqual({ ...stored, pages: 4 });
  });
});

test('[found 10] setting a field that the definition does not have is still an error', async () => {
  const { setStatus, site } = await startStatus(definitionWithout(['observedGeneration']));

  const setting = setStatus({ pages: 3, words: 9 } as DesiredStatus<Site>);

  await expect(setting).rejects.toSatisfy(isUndeclaredField);
  await expect(setting).rejects.toThrow('.status.words: field not declared in schema');
  expect((await site('a')).status).toBeUndefined();
});

test('[found 10] after an upgrade of the definition, the next change of the status writes the new field', async () => {
  const { env, setStatus, site } = await startStatus(definitionWithout(['observedGeneration']));
  await setStatus({ pages: 3 });
  await env.apply(siteDefinition() as never);

  expect(await setStatus({ pages: 3 })).toBe(false);
  expect(await setStatus({ pages: 4 })).toBe(true);

  expect((await site('a')).status).toEqual({ pages: 4, observedGeneration: 1 });
});

test('[found 10] an unchanged status gets the new field an hour after the upgrade of the definition', async () => {
  const { env, clock, setStatus, site } = await startStatus(
    definitionWithout(['observedGeneration']),
  );
  await setStatus({ pages: 3 });
  await env.apply(siteDefinition() as never);

  clock.advance(HOUR_MS);
  await setStatus({ pages: 3 });

  expect((await site('a')).status).toEqual({ pages: 3, observedGeneration: 1 });
});

test('[found 10] if conditions are added to a status again, the same status is not written twice', async () => {
  const { setStatus, writes } = await startStatus(definitionWithout([], ['observedGeneration']));
  await setStatus({ pages: 3, conditions: [CONDITION] });
  await setStatus({ pages: 4 });
  await setStatus({ pages: 4, conditions: [CONDITION] });
  const count = writes('sites.example.dev').length;

  expect(await setStatus({ pages: 4, conditions: [CONDITION] })).toBe(false);

  expect(writes('sites.example.dev')).toHaveLength(count);
});
