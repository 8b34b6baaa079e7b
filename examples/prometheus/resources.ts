import {
  AGE_COLUMN,
  customResource,
  ListMap,
  type ObjectOf,
  Quantity,
  Type,
} from 'chancery/schema';
import { DURATION } from './duration.ts';

const labelSelector = () =>
  Type.Object({
    matchLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
    matchExpressions: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String(),
          operator: Type.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: Type.Optional(Type.Array(Type.String())),
        }),
      ),
    ),
  });

const duration = () => Type.String({ pattern: DURATION, minLength: 1, maxLength: 64 });

const amounts = () => Type.Optional(Type.Record(Type.String(), Quantity()));

/** What `/scale` shows and changes: in the version, where the API server looks for it. */
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
};

export const prometheuses = customResource({
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'Prometheus',
  plural: 'prometheuses',
  shortNames: ['prom'],
  description: 'A Prometheus server that scrapes what ServiceMonitors of its namespace name.',
  spec: Type.Object({
    // With a default, so that `/scale` has something to show.
    replicas: Type.Integer({ minimum: 0, maximum: 100, default: 1, format: 'int32' }),
    serviceMonitorSelector: Type.Optional(labelSelector()),
    version: Type.String({ default: 'v3.5.0', pattern: '^v3\\.[0-9]+\\.[0-9]+$' }),
    image: Type.Optional(Type.String({ minLength: 1 })),
    scrapeInterval: Type.String({ pattern: DURATION, minLength: 1, maxLength: 64, default: '30s' }),
    retention: Type.String({ pattern: DURATION, minLength: 1, maxLength: 64, default: '24h' }),
    resources: Type.Optional(Type.Object({ requests: amounts(), limits: amounts() })),
    serviceAccountName: Type.Optional(Type.String({ minLength: 1 })),
    enableAdminAPI: Type.Boolean({ default: false }),
  }),
  status: Type.Object({
    replicas: Type.Integer({ format: 'int32' }),
    availableReplicas: Type.Integer({ format: 'int32' }),
    labelSelector: Type.String(),
    rejectedServiceMonitors: Type.Optional(
      ListMap(Type.Object({ name: Type.String(), problem: Type.String() }), ['name']),
    ),
  }),
  scale,
  printerColumns: [
    { name: 'Version', jsonPath: '.spec.version' },
    { name: 'Desired', jsonPath: '.spec.replicas' },
    { name: 'Ready', jsonPath: '.status.availableReplicas' },
    {
      name: 'Reconciled',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Reconciled')].status",
    },
    AGE_COLUMN,
  ],
});

export const serviceMonitors = customResource({
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'ServiceMonitor',
  shortNames: ['smon'],
  description: 'Which ports of which Services of its namespace are scraped, and how often.',
  spec: Type.Object({
    selector: labelSelector(),
    endpoints: Type.Array(
      Type.Object({
        port: Type.Optional(
          Type.String({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 }),
        ),
        path: Type.String({ pattern: '^/', maxLength: 1_024, default: '/metrics' }),
        scheme: Type.Enum(['http', 'https'], { default: 'http' }),
        interval: Type.Optional(duration()),
        scrapeTimeout: Type.Optional(duration()),
      }),
    ),
  }),
});

/** Objects as they are read. */
export type Prometheus = ObjectOf<typeof prometheuses>;
export type ServiceMonitor = ObjectOf<typeof serviceMonitors>;
export type Endpoint = ServiceMonitor['spec']['endpoints'][number];
