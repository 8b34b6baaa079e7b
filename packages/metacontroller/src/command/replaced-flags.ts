/** The flags of Metacontroller that something else replaces here, with what does. */

const CREDENTIALS =
  'the process has no credentials: they belong to the kubectl proxy beside it, see CHANCERY_API_URL';
const RATE = 'requests are limited by what the API server answers; leave it out';
const EVENTS = 'Events are limited for each object, as kubectl expects it; leave it out';
const LOG = 'set CHANCERY_LOG_LEVEL and CHANCERY_LOG_FORMAT';

export const REPLACED_FLAGS: Readonly<Record<string, string>> = {
  kubeconfig: CREDENTIALS,
  'client-go-qps': RATE,
  'client-go-burst': RATE,
  'events-qps': EVENTS,
  'events-burst': EVENTS,
  'metrics-address': 'set CHANCERY_METRICS_PORT and CHANCERY_METRICS_HOST',
  'health-probe-bind-address': 'set CHANCERY_HEALTH_PORT and CHANCERY_HEALTH_HOST',
  'pprof-address': 'start node with --inspect or --cpu-prof',
  'leader-election-id': 'set CHANCERY_LEASE_NAME',
  'leader-election-namespace': 'set CHANCERY_LEASE_NAMESPACE',
  'leader-election-resource-lock': 'the lock is a Lease; leave it out',
  'zap-devel': LOG,
  'zap-encoder': LOG,
  'zap-log-level': LOG,
  'zap-stacktrace-level': LOG,
  'zap-time-encoding': LOG,
};
