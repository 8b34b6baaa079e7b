import type { Means } from '../support/cluster-node.ts';
import type { Images } from '../support/image.ts';

/** What every scenario needs: how Pods are made on this machine, and the images to make them of. */
export interface Place {
  readonly means: Means;
  readonly images: () => Images;
  /** There is time for what takes a minute. */
  readonly isSlow: boolean;
}
