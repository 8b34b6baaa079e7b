import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { Source } from '../source.ts';
import { CacheSync } from './cache-sync.ts';
import { ConsistencyWait } from './consistency-wait.ts';
import type { Resume } from './key-gate.ts';
import type { KeyPolicy } from './key-policy.ts';
import { MinInterval } from './min-interval.ts';
import { RequeueBrake } from './requeue-brake.ts';
import { Storm } from './storm.ts';
import type { TakenNames } from './taken-names.ts';
import { WriteLoops } from './write-loops.ts';

interface KeyPoliciesOptions {
  readonly clock: Clock;
  readonly controller: Controller;
  /** Of the controller's sources; may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly meter: Meter;
  /** Counts the keys that are ready. */
  readonly ready: () => number;
  /** Counts one more turn of a loop of writes. */
  readonly looped: () => void;
  readonly takenNames: TakenNames;
  readonly resume: Resume;
}

/**
 * The policies of one controller, in the order in which they are asked. Those that park come first,
 * since a parked key needs no delay, and among them the one without which nothing can run.
 *
 * To add a brake, write one more `KeyPolicy` in this folder, and give it its place here.
 */
export function keyPolicies(options: KeyPoliciesOptions): readonly KeyPolicy[] {
  const { clock, controller, informers, meter, resume } = options;
  const { consistency, minIntervalMs = 0 } = controller;
  const waiting = { clock, meter, controller: controller.name, informers, resume };
  return [
    new CacheSync(() => informers.get(controller.for), resume),
    ...(consistency === 'wait' ? [new ConsistencyWait(waiting)] : []),
    new MinInterval(clock, minIntervalMs),
    new WriteLoops(clock, options.looped),
    new RequeueBrake(clock),
    options.takenNames,
    new Storm(clock, options.ready),
  ];
}
