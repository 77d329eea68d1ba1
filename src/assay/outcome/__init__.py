"""Did a call fail, whose fault was it, and which kind of failure?"""
