/** Manifests that break a rule each, by subject. */
import { ARGUMENTS } from './canaries/arguments.ts';
import type { Canary } from './canaries/canary.ts';
import { CLOSED_WEBHOOKS } from './canaries/closed-webhooks.ts';
import { CONTAINERS } from './canaries/containers.ts';
import { CREDENTIALS } from './canaries/credentials.ts';
import { GATE_CANARIES } from './canaries/gate.ts';
import { PATH_FILTER } from './canaries/path-filter.ts';
import { PROBES_AND_STOP } from './canaries/probes-and-stop.ts';
import { RESOURCES_AND_IMAGES } from './canaries/resources-and-images.ts';
import { STOCK_IMAGE } from './canaries/stock-image.ts';
import { SURROUNDINGS } from './canaries/surroundings.ts';
import { UNIX_SOCKET } from './canaries/unix-socket.ts';

export const CANARIES: readonly Canary[] = [
  ...CREDENTIALS,
  ...ARGUMENTS,
  ...PATH_FILTER,
  ...CONTAINERS,
  ...GATE_CANARIES,
  ...STOCK_IMAGE,
  ...UNIX_SOCKET,
  ...PROBES_AND_STOP,
  ...RESOURCES_AND_IMAGES,
  ...SURROUNDINGS,
  ...CLOSED_WEBHOOKS,
];
