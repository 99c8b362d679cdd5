export default 'y';
