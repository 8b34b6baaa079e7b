import {
  annotationChanged,
  type Controller,
  controller,
  enqueueMapped,
  keyOf,
  labelChanged,
  or,
} from 'chancery';
import { type Node, nodes } from 'chancery/kubernetes';
import { givesWay, nodeSource, waitingIn } from './capacity.ts';
import { createReconciler } from './reconcile.ts';
import { type RebootSettings, rebootSettingsFrom } from './settings.ts';

/** Lets Nodes reboot: so many at a time, in a window, after and before the checks that are asked for. */
export function nodeReboot(settings: RebootSettings): Controller<Node> {
  return controller({
    name: 'node-reboot',
    for: nodeSource,
    predicate: or(labelChanged, annotationChanged), // not the heartbeat of every kubelet
    watches: [
      // Nothing of their own tells those that wait of a place that is free.
      enqueueMapped(nodeSource, (_node, { store }) => waitingIn(store(nodeSource)).map(keyOf), {
        predicate: givesWay,
      }),
    ],
    permissions: [{ resource: nodes, verbs: ['patch'] }],
    reconcile: createReconciler(settings),
  });
}

export default nodeReboot(rebootSettingsFrom(process.env));
