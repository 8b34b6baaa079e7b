import type { Desired } from 'chancery';
import type { CronJob } from 'chancery/kubernetes';
import { MANAGED, SCHEDULE } from '../labels.ts';
import type { Schedule } from '../resources.ts';

/**
 * Rings at the times of the schedule, and does nothing else: its Jobs end at once, and have no credentials.
 * Who makes a backup of a ring is the operator. A ring that nobody hears stays there: see `ticks.ts`.
 */
export function cronJobOf({ metadata: { name }, spec }: Schedule): Desired<CronJob> {
  const labels = { ...MANAGED, [SCHEDULE]: name };
  return {
    metadata: { name: `${name}-job`, labels },
    spec: {
      schedule: spec.time,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 600, // for the controller of CronJobs, too, may be away
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: {
        metadata: { labels },
        spec: {
          backoffLimit: 0, // it has rung, however its Pod ends
          template: {
            metadata: { labels },
            spec: {
              restartPolicy: 'Never',
              automountServiceAccountToken: false,
              containers: [{ name: 'tick', image: 'busybox:1.37', command: ['true'] }],
            },
          },
        },
      },
    },
  };
}
