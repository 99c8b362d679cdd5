console.log('order3');
