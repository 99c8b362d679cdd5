await new Promise(r => setTimeout(r, 5)); export default 1
