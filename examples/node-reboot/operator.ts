import {
  annotationChanged,
  type Controller,
  channel,
  controller,
  labelChanged,
  type Node,
  nodes,
  or,
} from 'chancery';
import { createReconciler, nodeSource } from './reconcile.ts';
import { type RebootSettings, rebootSettingsFrom } from './settings.ts';

/** Lets Nodes reboot: so many at a time, in a window, after and before the checks that are asked for. */
export function nodeReboot(settings: RebootSettings): Controller<Node> {
  const turn = channel();
  return controller({
    name: 'node-reboot',
    for: nodeSource,
    predicate: or(labelChanged, annotationChanged), // not the heartbeat of every kubelet
    triggers: [turn],
    permissions: [{ resource: nodes, verbs: ['patch'] }],
    reconcile: createReconciler(settings, turn),
  });
}

export default nodeReboot(rebootSettingsFrom(process.env));
