/** An operator with a validating and a mutating webhook for one kind. */
import { allow, deny, mutatingWebhook, validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

/** Refuses a ConfigMap whose `host` has a blank or is old, and warns of one that is not public. */
export const hosts = validatingWebhook({
  name: 'hosts.configmaps.example.com',
  resource: configMaps,
  failurePolicy: 'Fail',
  validate: ({ object }) => {
    const host = object.data?.host ?? '';
    if (host.includes(' ')) return deny('a host has no blanks', { field: 'data.host' });
    if (host.endsWith('-old')) return deny('old hosts are kept by hand');
    return host.endsWith('.test') ? allow({ warnings: ['.test is not public'] }) : undefined;
  },
});

/** Says who has created a ConfigMap. */
export const creators = mutatingWebhook({
  name: 'creators.configmaps.example.com',
  resource: configMaps,
  operations: ['CREATE'],
  mutate: ({ object, user }) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { 'example.com/by': user.username, ...object.metadata.annotations },
    },
  }),
});

export default [hosts, creators];
