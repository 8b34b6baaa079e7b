/** Replicas of an operator with webhooks: who answers, and that a rolling update loses no review. */

import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import { deny } from '../../../operator/webhook/decision.ts';
import { configMapWebhook, reviewOf } from '../../webhook/reviews.ts';
import { configMap, LeaseServer, World } from '../world.ts';
import { type Got, post } from './post.ts';

const CONFIG_MAPS = source(configMaps, { namespace: 'all' });

const shop = controller({ name: 'shop', for: CONFIG_MAPS, reconcile: () => {} });

const colours = configMapWebhook({
  reads: [CONFIG_MAPS],
  validate: (_request, { store }) => deny(`one of ${store(configMaps).list().length}`),
});

/** Time that passes between the end of readiness and the last node that knows of it. */
const SPREADS_MS = 2_000;
const STEP_MS = 100;

/** Replicas with one Lease, and a Service that learns late which of them are ready. */
class Deployment {
  readonly #clock = new FakeClock();
  readonly #leases = new LeaseServer();
  readonly #replicas: World[] = [];
  /** Which replicas were ready, at each step. */
  readonly #history: (readonly World[])[] = [];

  async scaleUp(): Promise<World> {
    const environment = {
      CHANCERY_LEADER_ELECTION: 'true',
      POD_NAMESPACE: 'ops',
      POD_NAME: `shop-${this.#replicas.length}`,
    };
    const { clock, leases } = { clock: this.#clock, leases: this.#leases };
    const world = new World([shop], environment, { clock, leases, webhooks: [colours] });
    world.collection('configmaps').items.push(configMap('a'), configMap('b'));
    this.#replicas.push(world);
    await world.start();
    while (!world.manager.ready) await this.step();
    return world;
  }

  /** Lets time pass, and updates the Service. */
  async step(): Promise<void> {
    this.#history.push(this.#replicas.filter(({ manager }) => manager.ready));
    await this.#clock.advanceAndSettle(STEP_MS);
  }

  /** The replicas to which some node still sends reviews. */
  get endpoints(): readonly World[] {
    const known = this.#history.slice(-SPREADS_MS / STEP_MS);
    return [...new Set(known.flat())];
  }
}

const REVIEW = JSON.stringify(reviewOf());

function ask({ manager }: World): Promise<Got> {
  return post(manager.webhookAddress ?? 'http://127.0.0.1:9', REVIEW);
}

test('[A-5] [admission 13] every replica answers reviews from its caches, whether it leads or not', async () => {
  const deployment = new Deployment();
  const replicas = [await deployment.scaleUp(), await deployment.scaleUp()];
  while (!replicas.some(({ manager }) => manager.leads)) await deployment.step();

  const answers = await Promise.all(replicas.map(ask));

  expect(replicas.map(({ manager }) => manager.leads)).toEqual([true, false]);
  for (const { text } of answers) {
    expect(JSON.parse(text).response.status.message).toBe('one of 2');
  }
});

test('[A-5] [admission 13] a rolling update loses no review, although nodes notice it late', async () => {
  const deployment = new Deployment();
  const old = [await deployment.scaleUp(), await deployment.scaleUp()];
  const got: Promise<Got | Error>[] = [];
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += STEP_MS) {
      for (const replica of deployment.endpoints) {
        got.push(ask(replica).catch((error: Error) => error));
      }
      await deployment.step();
    }
  };

  await pass(1_000);
  for (const replica of old) {
    await deployment.scaleUp();
    await pass(500);
    replica.stop.abort(new Error('SIGTERM'));
    await settle();
    await pass(6_000);
    await replica.running;
  }

  const answers = await Promise.all(got);
  const lost = answers.filter((answer) => answer instanceof Error || answer.status !== 200);
  expect(lost).toEqual([]);
  expect(answers.length).toBeGreaterThan(200);
  expect(deployment.endpoints).toHaveLength(2);
});
