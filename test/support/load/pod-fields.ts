import { fields } from './profile.ts';

const PROBE = {
  '.': {},
  ...fields('failureThreshold', 'periodSeconds', 'successThreshold', 'timeoutSeconds'),
  'f:httpGet': { '.': {}, ...fields('path', 'port', 'scheme') },
};

const ENV = Object.fromEntries(
  ['SETTING_0', 'SETTING_1'].map((name) => [
    `k:{"name":"${name}"}`,
    { '.': {}, ...fields('name', 'value') },
  ]),
);

function containerFields(name: string): Readonly<Record<string, object>> {
  return {
    [`k:{"name":"${name}"}`]: {
      '.': {},
      'f:env': { '.': {}, ...ENV },
      ...fields('image', 'imagePullPolicy', 'name'),
      ...fields('terminationMessagePath', 'terminationMessagePolicy'),
      ...(name === 'web' && { 'f:livenessProbe': PROBE }),
      'f:readinessProbe': PROBE,
      'f:resources': {
        '.': {},
        'f:limits': { '.': {}, ...fields('memory') },
        'f:requests': { '.': {}, ...fields('cpu', 'memory') },
      },
      'f:securityContext': {
        '.': {},
        ...fields('allowPrivilegeEscalation', 'readOnlyRootFilesystem', 'runAsNonRoot'),
      },
    },
  };
}

const CONDITION_FIELDS = Object.fromEntries(
  ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'Ready'].map((type) => [
    `k:{"type":"${type}"}`,
    { '.': {}, ...fields('lastProbeTime', 'lastTransitionTime', 'status', 'type') },
  ]),
);

/** What the controller manager and the kubelet have written of a Pod. */
export const podFields = [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': { '.': {}, ...fields('example.dev/config-hash') },
        'f:generateName': {},
        'f:labels': { '.': {}, ...fields('app', 'pod-template-hash', 'part') },
        'f:ownerReferences': {
          '.': {},
          'k:{"uid":"11111111-0000-4000-8000-000000000001"}': {},
        },
      },
      'f:spec': {
        'f:containers': { ...containerFields('web'), ...containerFields('side') },
        ...fields('dnsPolicy', 'enableServiceLinks', 'restartPolicy', 'schedulerName'),
        ...fields('securityContext', 'terminationGracePeriodSeconds'),
      },
    },
  },
  {
    manager: 'kubelet',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:10Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:status': {
        'f:conditions': CONDITION_FIELDS,
        ...fields('containerStatuses', 'hostIP', 'hostIPs', 'phase', 'podIP', 'podIPs'),
        ...fields('startTime'),
      },
    },
    subresource: 'status',
  },
];
