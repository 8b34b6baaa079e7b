/**
 * What operator and agent write on a Node for each other. The names are the original's, so that either
 * half may be replaced alone.
 */
import type { KubernetesObject } from 'chancery';

const PREFIX = 'flatcar-linux-update.v1.flatcar-linux.net/';

/** Annotation and label of the agent: an update is installed, and waits for a reboot. */
export const REBOOT_NEEDED = `${PREFIX}reboot-needed`;
/** Annotation of the agent: it drains the Node, or the machine is down. */
export const REBOOT_IN_PROGRESS = `${PREFIX}reboot-in-progress`;
/** Annotation of the agent: it has cordoned the Node, and will uncordon it. */
export const MADE_UNSCHEDULABLE = `${PREFIX}agent-made-unschedulable`;
/** Annotation of an administrator: this Node is left alone. */
export const REBOOT_PAUSED = `${PREFIX}reboot-paused`;

/** Annotation of the operator: the agent may reboot the Node. */
export const REBOOT_OK = `${PREFIX}reboot-ok`;
/** Labels of the operator: the checks before and after the reboot may run, by a DaemonSet that selects it. */
export const BEFORE_REBOOT = `${PREFIX}before-reboot`;
export const AFTER_REBOOT = `${PREFIX}after-reboot`;

/**
 * Annotations that the original does not know: which phase the Node is in, for people, and since when, so
 * that a time limit outlives the operator. Under a prefix of their own, for the other one is not ours.
 */
export const PHASE = 'node-reboot.chancery.dev/phase';
export const SINCE = 'node-reboot.chancery.dev/since';

/** A Node, or its entry in a cache: labels and annotations are all that counts. */
export type WithMetadata = Pick<KubernetesObject, 'metadata'>;

export function annotationOf({ metadata }: WithMetadata, name: string): string | undefined {
  return metadata.annotations?.[name];
}

/** The original compares texts: `True` or `1` is not `true`. */
export function isTrue(node: WithMetadata, annotation: string): boolean {
  return annotationOf(node, annotation) === 'true';
}

export function labelOf({ metadata }: WithMetadata, name: string): string | undefined {
  return metadata.labels?.[name];
}
