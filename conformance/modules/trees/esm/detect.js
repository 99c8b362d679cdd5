export const detected = import.meta.url.endsWith('detect.js');
