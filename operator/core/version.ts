/** Version of the package, as it names itself to the API server. */
export const VERSION: string = '0.1.0';
