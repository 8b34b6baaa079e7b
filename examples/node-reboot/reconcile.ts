import type { Outcome, ReconcileContext, Reconciler } from 'chancery';
import { type Node, nodes } from 'chancery/kubernetes';
import { freePlaces, heldIn, nodeSource, standsBack, waitingIn } from './capacity.ts';
import type { RebootSettings } from './settings.ts';
import { stateOf } from './state.ts';
import { beginStep, leftMs, nextStep, type Step } from './step.ts';

/** Brings one Node one step on. Each step is a write, and its echo brings the Node back for the next one. */
export function createReconciler(settings: RebootSettings): Reconciler<Node> {
  return async (node, context) => {
    const nowMs = context.clock.now();
    const step = nextStep(node, settings, nowMs);
    if (step !== undefined) {
      await take(step, node, context);
      return;
    }
    if (stateOf(node) === 'Waiting') return begin(node, settings, context);
    const requeueAfterMs = leftMs(node, settings, nowMs);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  };
}

/** Gives `node` a place, if there is one, nobody is ahead of it, and the window is open. */
async function begin(
  node: Node,
  settings: RebootSettings,
  context: ReconcileContext<Node>,
): Promise<Outcome> {
  const { window, maxRebooting } = settings;
  const cached = context.store(nodeSource);
  const free = freePlaces(heldIn(cached), maxRebooting);
  // Whoever gives way wakes it.
  if (free === 0 || standsBack(node, waitingIn(cached), free)) return;
  const nowMs = context.clock.now();
  if (!window.isOpen(nowMs)) return { requeueAfterMs: window.opensAfter(nowMs) - nowMs };
  // Past the cache: one that is late, as after a change of leader, would give a place twice.
  const live = await context.client.list(nodes);
  const self = live.find(({ metadata }) => metadata.uid === node.metadata.uid);
  if (self === undefined || stateOf(self) !== 'Waiting') return; // its change comes
  if (freePlaces(live, maxRebooting) === 0) return;
  await take(beginStep(settings, nowMs), self, context);
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
