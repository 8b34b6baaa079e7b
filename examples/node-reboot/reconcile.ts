import {
  AWAIT_CHANGE,
  type Channel,
  keyOf,
  type Node,
  nodes,
  type ReconcileContext,
  type Reconciler,
  type Result,
  type Source,
  source,
} from 'chancery';
import { aheadOf, freePlaces, placeOf } from './capacity.ts';
import type { RebootSettings } from './settings.ts';
import { stateOf } from './state.ts';
import { beginStep, leftMs, nextStep, type Step } from './step.ts';

/** All that counts is in labels and annotations: of a Node's status, which is most of it, nothing is kept. */
export const nodeSource: Source<Node> = source(nodes, {
  metadataOnly: true,
  indexes: { place: (node) => [placeOf(node)] },
});

/**
 * Brings one Node one step on. Each step is a write, and its echo brings the Node back for the next one.
 *
 * @param turn - wakes Nodes that wait for a place: nothing of their own tells them of a free one.
 */
export function createReconciler(settings: RebootSettings, turn: Channel): Reconciler<Node> {
  return async (_key, node, context) => {
    const nowMs = context.clock.now();
    const step = node && nextStep(node, settings, nowMs);
    if (node !== undefined && step !== undefined) {
      await take(step, node, context);
      return AWAIT_CHANGE;
    }
    if (node !== undefined && stateOf(node) === 'Waiting') {
      return begin(node, settings, turn, context);
    }
    if (settings.window.isOpen(nowMs) && freePlaces(held(context), settings.maxRebooting) > 0) {
      turn.send(wanting(context).map(keyOf));
    }
    const requeueAfterMs = node && leftMs(node, settings, nowMs);
    return requeueAfterMs === undefined ? AWAIT_CHANGE : { requeueAfterMs };
  };
}

/** Gives `node` a place, if the window is open, there is one, and nobody is ahead of it. */
async function begin(
  node: Node,
  settings: RebootSettings,
  turn: Channel,
  context: ReconcileContext<Node>,
): Promise<Result> {
  const { window, maxRebooting } = settings;
  const nowMs = context.clock.now();
  const opensInMs = window.opensAfter(nowMs) - nowMs;
  const later = Number.isFinite(opensInMs) ? { requeueAfterMs: opensInMs } : AWAIT_CHANGE;
  if (!window.isOpen(nowMs)) return later;
  const free = freePlaces(held(context), maxRebooting);
  if (free === 0) return later; // who gives its place back wakes those that wait
  const ahead = aheadOf(node, wanting(context), free);
  if (ahead.length > 0) {
    turn.send(ahead.map(keyOf));
    return later;
  }
  // Past the cache: one that is late, as after a change of leader, would give a place twice.
  const live = await context.client.list(nodes);
  const self = live.find(({ metadata }) => metadata.uid === node.metadata.uid);
  if (self === undefined || stateOf(self) !== 'Waiting') return AWAIT_CHANGE; // its change comes
  if (freePlaces(live, maxRebooting) === 0) return later;
  await take(beginStep(settings, nowMs), self, context);
  return AWAIT_CHANGE;
}

function held({ store }: ReconcileContext<Node>): readonly Node[] {
  return store(nodeSource).byIndex('place', 'held');
}

/** By name, as the original takes them. */
function wanting({ store }: ReconcileContext<Node>): readonly Node[] {
  const found = store(nodeSource).byIndex('place', 'wanted');
  return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/**
 * Writes a step to the very Node that it was decided for: one that has changed since answers 409, and is
 * looked at again. The patch has nothing but the step's own keys, so that a kubelet that writes at the same
 * time loses nothing.
 */
async function take(
  { labels, annotations, event: told }: Step,
  { metadata: { name, resourceVersion } }: Node,
  { client, event, log }: ReconcileContext<Node>,
): Promise<void> {
  const metadata = { resourceVersion, ...(labels && { labels }), annotations };
  await client.patch(nodes, { name }, { type: 'merge', body: { metadata } });
  if (told === undefined) return;
  event(told.type, told.reason, told.note);
  log.info({ node: name, reason: told.reason }, 'node has moved on');
}
