import type { ManifestFile } from '../manifest-file.ts';
import { debug } from './debug.ts';
import { highAvailability } from './high-availability.ts';
import { nativeSidecar } from './native-sidecar.ts';
import { networkPolicy } from './network-policy.ts';
import { prometheus } from './prometheus.ts';
import { unixSocket } from './unix-socket.ts';

/**
 * Components that fit every operator: they find the one Deployment by its kind, and copy from it what
 * names the operator.
 */
export const GENERIC_COMPONENTS: readonly ManifestFile[] = [
  ...debug,
  ...highAvailability,
  ...nativeSidecar,
  ...networkPolicy,
  ...prometheus,
  ...unixSocket,
];
