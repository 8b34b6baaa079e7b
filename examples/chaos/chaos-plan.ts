import { AGE_COLUMN, customResource, type ObjectOf, Type } from 'chancery/schema';

/** How many Pods of a namespace go, and how often. Which Pods, their label says: see `candidates.ts`. */
export const chaosPlans = customResource({
  group: 'chaos.example.dev',
  version: 'v1',
  kind: 'ChaosPlan',
  plural: 'chaosplans',
  description:
    'Evicts random Pods of its namespace that are labelled chaos.example.dev/opt-in=true.',
  spec: Type.Object({
    intervalSeconds: Type.Integer({ minimum: 10, maximum: 604_800, default: 3_600 }),
    /** In any interval, wherever it begins. 0: none, for now. */
    maxEvictions: Type.Integer({ minimum: 0, maximum: 50, default: 1 }),
    dryRun: Type.Boolean({ default: false }),
  }),
  status: Type.Object({
    /** Those of the last interval, oldest first: what the limit is counted by. */
    evictions: Type.Optional(
      Type.Array(Type.Object({ time: Type.String({ format: 'date-time' }), pod: Type.String() }), {
        maxItems: 50,
      }),
    ),
    nextEvictionTime: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  rules: [
    {
      // Two plans would have two limits.
      rule: "self.metadata.name == 'chaos'",
      message: 'a namespace has one plan, with the name chaos',
    },
  ],
  printerColumns: [
    { name: 'Interval', jsonPath: '.spec.intervalSeconds' },
    { name: 'Limit', jsonPath: '.spec.maxEvictions' },
    { name: 'Dry-Run', jsonPath: '.spec.dryRun' },
    {
      name: 'Status',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
    },
    AGE_COLUMN,
  ],
});

/** An object as it is read. */
export type ChaosPlan = ObjectOf<typeof chaosPlans>;
export type ChaosStatus = NonNullable<ChaosPlan['status']>;
