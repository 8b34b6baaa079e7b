import { AGE_COLUMN, customResource, ListSet, type ObjectOf, Type } from 'chancery/schema';

/** Days of the week, in their order. */
export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** Hours of the local day, the last one excluded: 19 to 0 and 19 to 24 are both the evening. */
const window = Type.Object({
  startTime: Type.Integer({ minimum: 0, maximum: 23 }),
  endTime: Type.Integer({
    minimum: 0,
    maximum: 24,
    description: 'Excluded. At or before startTime it is an hour of the next day.',
  }),
  replica: Type.Integer({ minimum: 0 }),
  days: Type.Optional(
    ListSet(Type.Enum(DAYS), {
      minItems: 1,
      description: 'Days on which it starts. Default: every day.',
    }),
  ),
});

/** What the original takes, with the same limits or wider ones, and what it lacks: all optional. */
const spec = Type.Object({
  container: Type.Object({ image: Type.String(), port: Type.Integer() }),
  service: Type.Optional(Type.Object({ port: Type.Integer() })),
  schedulingConfig: Type.Array(window),
  defaultReplica: Type.Integer({ format: 'int32', minimum: 1 }),
  intervalMint: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: 1440,
      description: 'Everything is looked at again after so many minutes at most. Default 5.',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({ description: 'Of the IANA database, such as Europe/Berlin. Default UTC.' }),
  ),
  ramp: Type.Optional(
    Type.Object(
      { step: Type.Integer({ minimum: 1 }), intervalSeconds: Type.Integer({ minimum: 1 }) },
      { description: 'Scale by so many replicas at a time. Default: at once.' },
    ),
  ),
  suspend: Type.Optional(
    Type.Boolean({ description: 'Nothing is written to the children while it is true.' }),
  ),
  adjustHPA: Type.Optional(
    Type.Boolean({
      description: 'Set minReplicas of an autoscaler of the Deployment, instead of standing aside.',
    }),
  ),
});

export const tdsets = customResource({
  group: 'schedule.rs',
  version: 'v1',
  kind: 'TDSet',
  description: 'A Deployment whose number of replicas follows the time of day.',
  spec,
  status: Type.Object({
    activeWindow: Type.Optional(Type.String()),
    desiredReplicas: Type.Optional(Type.Integer()),
    nextTransitionTime: Type.Optional(Type.String({ format: 'date-time' })),
    uncoveredHours: Type.Optional(Type.Array(Type.String())),
  }),
  printerColumns: [
    { name: 'Replicas', jsonPath: '.status.desiredReplicas' },
    { name: 'Window', jsonPath: '.status.activeWindow' },
    { name: 'Next', jsonPath: '.status.nextTransitionTime', type: 'string' },
    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    AGE_COLUMN,
  ],
});

export type TDSet = ObjectOf<typeof tdsets>;
