/** Methods that the image rejects, and that no declared verb needs. */
export const ALWAYS_REJECTED_METHODS: readonly string[] = ['CONNECT', 'HEAD', 'OPTIONS', 'TRACE'];
