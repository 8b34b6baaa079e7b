import type { BuiltInField } from '../../../testing/src/apiserver/built-in-types/built-in-types.ts';

/** Values that the Go source does not list beside their type, from its validation. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.api.discovery.v1.EndpointSlice.addressType': ['FQDN', 'IPv4', 'IPv6'],
  'io.k8s.api.events.v1.Event.type': ['Normal', 'Warning'],
  'io.k8s.api.networking.v1.HTTPIngressPath.pathType': [
    'Exact',
    'ImplementationSpecific',
    'Prefix',
  ],
  'io.k8s.api.resource.v1.DeviceSubRequest.allocationMode': ['All', 'ExactCount'],
  'io.k8s.api.resource.v1.ExactDeviceRequest.allocationMode': ['All', 'ExactCount'],
};

/** The values of a field that takes no others; undefined for any other field. */
export function valuesOf(
  owner: string,
  field: string,
  { enum: declared }: BuiltInField,
): readonly string[] | undefined {
  const values = ELSEWHERE[`${owner}.${field}`] ?? declared;
  if (values?.length === 0) throw new Error(`${owner}.${field} is an enum without values`);
  return values;
}
