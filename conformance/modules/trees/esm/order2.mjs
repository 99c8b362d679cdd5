console.log('order2');
