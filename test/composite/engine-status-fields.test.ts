/** Parents whose definition lacks fields that the engine writes into a status by itself. */

import { describe, expect, test } from 'vitest';
import { OperatorError } from '../../operator/core/errors.ts';
import { statusFieldsOf } from '../../operator/model/status-fields.ts';
import type { StructuralSchema } from '../../operator/model/structural-schema.ts';
import {
  definitionOf,
  type EnginePlace,
  type EngineSetup,
  enginePlace,
  maps,
  orchards,
} from './engine-place.ts';

const TEXT = { type: 'string' };
const LENIENT = { NODE_ENV: 'production' };
const arrange: NonNullable<EngineSetup['arrange']> = ({ createParent }) => createParent({});

/** An engine for parents with these fields in their status, which it knows from their definition. */
function placeWith(
  status: Readonly<Record<string, unknown>>,
  setup: EngineSetup,
): Promise<EnginePlace> {
  const schema = { properties: { status: { type: 'object', properties: status } } };
  return enginePlace({
    definitions: [definitionOf(orchards, status)],
    statusFields: statusFieldsOf(schema as StructuralSchema),
    arrange,
    ...setup,
  });
}

async function events({ env }: EnginePlace): Promise<readonly unknown[]> {
  return env.list('events.k8s.io/v1', 'Event');
}

const ready = { ready: { type: 'integer' } };
const decide = () => ({ status: { ready: 1 }, children: maps({ a: '1' }) });

describe.each([
  ['that drops unknown fields', LENIENT],
  ['that refuses unknown fields', {}],
])('[found 10] status fields that the definition does not have, with a server %s', (_what, environment) => {
  test('[contract 82] without observedGeneration in the definition, the status is written once', async () => {
    const at = await placeWith(ready, { decide, environment });
    const writes = at.writes();

    await at.env.patch('fruit.example/v1', 'Orchard', at.namespace, 'north', { spec: { more: 1 } });
    await at.env.advance(60 * 60_000);
    await at.restart();

    expect((await at.parent())?.status).toEqual({ ready: 1 });
    expect(writes).toEqual(['create configmaps', 'patch orchards.fruit.example north status']);
    expect(at.writes()).toEqual(writes);
    expect(await events(at)).toEqual([]);
  });

  test('if the definition declares no field of the status, no status is written', async () => {
    const answer = () => ({ status: null, children: maps({ a: '1' }) });
    const at = await placeWith({}, { decide: answer, environment });

    expect(at.writes()).toEqual(['create configmaps']);
    expect(await events(at)).toEqual([]);
  });

  test('the condition of a failure is written once, with the fields that the definition declares', async () => {
    const items = { type: 'object', properties: { type: TEXT, status: TEXT, reason: TEXT } };
    const broken = () => {
      throw new OperatorError('the hook is down', { code: 'USER_CODE', layer: 'user-code' });
    };
    const at = await placeWith(
      { ...ready, conditions: { type: 'array', items } },
      { decide: broken, environment },
    );
    await at.env.advance(1_000);
    const writes = at.writes();

    await at.env.advance(60 * 60_000);
    await at.restart();

    expect((await at.parent())?.status).toEqual({
      conditions: [{ type: 'Synced', status: 'False', reason: 'InvalidAnswer' }],
    });
    expect(at.writes()).toEqual(writes);
  });
});

test('[found 10] without access to the definition, no missing observedGeneration is reported', async () => {
  const definitions = [definitionOf(orchards, ready)];
  const at = await enginePlace({ definitions, decide, environment: LENIENT, arrange });
  const writes = at.writes();

  await at.env.advance(60 * 60_000);

  expect((await at.parent())?.status).toEqual({ ready: 1 });
  expect(at.writes()).toEqual(writes);
  expect(await events(at)).toEqual([]);
});

test('[found 10] only fields of the answer are reported as missing in the definition, not observedGeneration', async () => {
  const at = await placeWith(ready, {
    decide: () => ({ status: { ready: 1, hidden: 1 } }),
    environment: LENIENT,
  });

  expect(await events(at)).toMatchObject([
    { reason: 'SyncError', note: expect.stringContaining('does not accept status.hidden as') },
  ]);
});
