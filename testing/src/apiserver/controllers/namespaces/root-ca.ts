import type { ObjectKey } from 'chancery';
import { objectKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';

const CONFIG_MAPS: ResourceName = 'configmaps';
const NAMESPACES: ResourceName = 'namespaces';

/** The ConfigMap that Pods mount to trust the API server. */
const ROOT_CA = 'kube-root-ca.crt';

const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * A well-formed certificate, for programs that parse it. It signs nothing, because the server speaks HTTP,
 * and because the key of the certificate was not kept.
 */
const CERTIFICATE: string = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBmTCCAT+gAwIBAgIUChduGSgGvhTX4WdBt7c3DqvmA4EwCgYIKoZIzj0EAwIw',
  'ITEfMB0GA1UEAwwWZW1iZWRkZWQtYXBpLXNlcnZlci1jYTAgFw0yNjExMjExMjIy',
  'NTNaGA8yMTI2MTAyODEyMjI1M1owITEfMB0GA1UEAwwWZW1iZWRkZWQtYXBpLXNl',
  'cnZlci1jYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDbKb+H34mNtp0r73Vzw',
  'CxFuMQIusMxXozQLsnvD66AwjsLpIYf3JGYCsWuIh155WfuHVuur8DmPsYpf2+g7',
  '5cqjUzBRMB0GA1UdDgQWBBQ76nxUvGrmKkr7UvsjVKOyWah0gTAfBgNVHSMEGDAW',
  'gBQ76nxUvGrmKkr7UvsjVKOyWah0gTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49',
  'BAMCA0gAMEUCIQDdzNltKXz4eVUqpPSRxn7i+J9JxkNLnNy4tZrABmx26wIgBDxu',
  '3tF7a0QbjEElNnqtppu3Nh9rJ/8z+x3dqhIMM0o=',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** Keeps the ConfigMap `kube-root-ca.crt` in every namespace, and restores its content. */
export function rootCaPublisher(access: ClusterAccess): WorkloadController {
  return {
    watches: [
      { resource: NAMESPACES, keysFor: ({ object }) => [objectKey(object.metadata.name, ROOT_CA)] },
      {
        resource: CONFIG_MAPS,
        keysFor: ({ object: { metadata } }) =>
          metadata.name === ROOT_CA ? [objectKey(metadata.namespace, ROOT_CA)] : [],
      },
    ],
    reconcile: (key) => reconcile(access, key),
  };
}

function reconcile(access: ClusterAccess, key: ObjectKey): undefined {
  const namespace = key.slice(0, key.indexOf('/'));
  const home = access.get(NAMESPACES, undefined, namespace);
  if (home === undefined || home.metadata.deletionTimestamp !== undefined) return undefined;
  const found = access.get(CONFIG_MAPS, namespace, ROOT_CA);
  if (found?.metadata.deletionTimestamp !== undefined) return undefined;
  const data = { 'ca.crt': CERTIFICATE };
  const annotations = { 'kubernetes.io/description': DESCRIPTION };
  if (found === undefined) {
    access.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace, annotations },
      data,
    } as StoredObject);
  } else if (!jsonEquals(found.data, data)) {
    access.update(CONFIG_MAPS, { ...found, data } as StoredObject);
  }
  return undefined;
}
