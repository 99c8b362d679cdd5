export default typeof module; export const t = typeof this;
