import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../convergence/random.ts';
import { allowChildren, denyChildren, nestedBox } from './boxes.ts';
import { type Environment, NAMESPACES } from './environment.ts';
import type { FalseAnswer } from './fault-gate.ts';
import { crowd } from './peers.ts';
import type { Probes } from './probes.ts';
import type { Subject } from './subject.ts';

/** What a fault may touch. */
export interface Scene extends Environment {
  readonly subject: Subject;
  readonly random: Random;
  readonly probes: Probes;
  readonly speed: number;
}

/** One way to break something; what it breaks for a while it repairs before it resolves. */
export type Fault = (scene: Scene) => void | Promise<void>;

function status(code: number, reason: string, retryAfterSeconds?: number): FalseAnswer {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'injected by the soak',
    reason,
    code,
  });
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status: code, headers: { 'content-type': 'application/json', ...retry }, body };
}

function text(code: number, type: string, body: string): FalseAnswer {
  return { status: code, headers: { 'content-type': type }, body };
}

function falseAnswer(answer: FalseAnswer, scene: Scene): Promise<void> {
  scene.gate.answerWith(answer);
  scene.line.breakAll('reset'); // or nobody would ask
  return until(scene, () => scene.gate.heal());
}

/** Repairs after a while. */
async function until({ random }: Scene, repair: () => void | Promise<void>): Promise<void> {
  await wait(random.between(300, 1_500));
  await repair();
}

function errorEvent(code: number, reason: string): string {
  return `{"type":"ERROR","object":${status(code, reason).body}}\n`;
}

/** Go takes 10 000 levels; `JSON.stringify` ends at about a third of that. */
const NESTED_LEVELS = 5_000;

let nestedCount = 0;

const HTML = '<html><body>Please log in.</body></html>';

/** By name, as the result shows them. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  // The line between operator and ambassador
  'line: reset': ({ line }) => line.breakAll('reset'),
  'line: closed': ({ line }) => line.breakAll('end'),
  'line: half-closed': ({ line }) => line.halfClose(),
  'line: cut in a line, reset': ({ line, random }) =>
    line.cutAfter(() => random.between(1, 3_000), 'reset'),
  'line: cut in a line, closed': ({ line, random }) =>
    line.cutAfter(() => random.between(1, 3_000), 'end'),
  'line: refused': async (scene) => {
    await scene.line.refuse();
    await until(scene, () => scene.line.listen());
  },
  'line: silent, then reset': async (scene) => {
    scene.line.hold();
    await until(scene, () => scene.line.breakAll('reset'));
    scene.line.release();
  },
  'line: silent, then alive': (scene) => {
    scene.line.hold();
    return until(scene, () => scene.line.release());
  },
  'line: delayed': (scene) => {
    scene.line.shape({ delayMs: scene.random.between(5, 100) });
    return until(scene, () => scene.line.shape({}));
  },
  'line: a few bytes at a time': (scene) => {
    scene.line.shape({ trickleBytes: scene.random.between(1, 8) });
    return until(scene, () => scene.line.shape({}));
  },

  // The ambassador
  'ambassador: killed': async (scene) => {
    await scene.ambassador.kill();
    await until(scene, () => scene.ambassador.start());
  },
  'ambassador: frozen': async (scene) => {
    scene.ambassador.freeze();
    await until(scene, () => scene.ambassador.thaw());
  },
  'ambassador: upstream refused': async (scene) => {
    await scene.gate.refuse();
    await until(scene, () => scene.gate.listen());
  },

  // The API server
  'server: restarted': async (scene) => {
    await scene.server.stop();
    await until(scene, () => scene.server.listen());
  },
  'server: compacted': ({ server }) => {
    server.compact();
    server.closeWatches('clean');
  },
  'server: watches ended': ({ server }) => server.closeWatches('clean'),
  'server: watches reset': ({ server }) => server.closeWatches('reset'),

  'server: object of 5,000 levels': ({ server, random, ...scene }) => {
    const namespace = random.pick(NAMESPACES);
    const name = `nested-${++nestedCount}`;
    server.create(nestedBox(namespace, name, NESTED_LEVELS));
    return until({ server, random, ...scene }, () => {
      server.delete('soak.example/v1', 'Box', namespace, name);
    });
  },
  'server: policy denies children': (scene) => {
    if (scene.subject.childrenDenied) return;
    scene.subject.childrenDenied = true;
    denyChildren(scene.server);
    return until(scene, () => {
      allowChildren(scene.server);
      scene.subject.childrenDenied = false;
    });
  },

  // What it says
  'answer: 429': (scene) => falseAnswer(status(429, 'TooManyRequests', 1), scene),
  'answer: 500 Status': (scene) => falseAnswer(status(500, 'InternalError'), scene),
  'answer: 503': (scene) => falseAnswer(status(503, 'ServiceUnavailable'), scene),
  'answer: 410': (scene) => falseAnswer(status(410, 'Expired'), scene),
  'answer: 500 text': (scene) =>
    falseAnswer(
      text(500, 'text/plain', 'dial tcp 10.0.0.1:443: connect: connection refused'),
      scene,
    ),
  'answer: a login page': (scene) => falseAnswer(text(200, 'text/html', HTML), scene),
  'list: broken off': (scene) => {
    scene.gate.truncateLists();
    scene.server.compact();
    scene.server.closeWatches('clean');
    return until(scene, () => scene.gate.heal());
  },
  'event: ERROR 410': ({ gate }) => gate.inject(errorEvent(410, 'Expired'), 'end'),
  'event: ERROR 500': ({ gate }) => gate.inject(errorEvent(500, 'InternalError'), 'go on'),
  'event: ERROR 429': ({ gate }) => gate.inject(errorEvent(429, 'TooManyRequests'), 'end'),
  'event: ERROR that is no Status': ({ gate }) =>
    gate.inject('{"type":"ERROR","object":"boom"}\n', 'go on'),
  'event: garbage': ({ gate }) => gate.inject('{"type":"MODIFIED","object":{\n', 'go on'),
  'event: half, then the end': ({ gate }) => gate.inject('{"type":"MODIFIED","obj', 'end'),
  'event: empty lines': ({ gate }) => gate.inject('\n\r\n\n', 'go on'),
  'event: said twice': ({ gate }) => gate.replay(),

  // The operator itself
  'operator: 600 peers on its health port': (scene) => {
    const countedUntil = scene.probes.crowded();
    const leave = crowd(scene.subject.healthPort);
    return until(scene, () => {
      leave();
      countedUntil();
    });
  },
  'operator: slow handlers': ({ subject, random, speed }) =>
    subject.slowHandlers(random.between(500, 3_000) * speed),
  'operator: failing reconciles': ({ subject, random, speed }) =>
    subject.failReconciles(random.between(500, 2_000) * speed),
};
